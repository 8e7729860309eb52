"""hindmost for Spack: `spack repo add` this repository, lay the tarball of `cargo xtask dist` into the current directory, `spack install hindmost`."""

import os

from spack.package import *


class Hindmost(Package):
    """Names the tasks of a hung MPI job that are behind all others, proves it from their stacks and the program's progress map, and shows the code responsible."""

    homepage = "https://hindmost.invalid"
    url = f"file://{os.getcwd()}/hindmost-0.0.0-x86_64-linux.tar.gz"
    manual_download = True

    license("MIT OR Apache-2.0")

    # Its sum is that of the tarball that was made: `cargo xtask dist` writes it here.
    version("0.0.0", sha256="0000000000000000000000000000000000000000000000000000000000000000")

    # One static program runs on any distribution.
    requires("target=x86_64:", "platform=linux")

    def install(self, spec, prefix):
        install_tree(".", prefix)
