-- Kills the server under a headless Neovim, again and again, and writes down whether it came back.
local seen = { back = 0 }

local function server()
  for _, client in ipairs(vim.lsp.get_active_clients()) do
    if client.name == "hindmost" and client.initialized then
      return client
    end
  end
end

local function has_facts()
  local client = server()
  return client and #vim.diagnostic.get(0, { namespace = vim.lsp.diagnostic.get_namespace(client.id) }) > 0
end

local hindmost = require("hindmost")
hindmost.setup({ command = { vim.env.HINDMOST, "lsp" }, map = "job.hmap", snapshot = "stacks" })
vim.cmd("filetype on")
vim.cmd("edit job.c")
for _ = 1, 4 do
  if not vim.wait(20000, has_facts, 10) then
    break
  end
  seen.back = seen.back + 1
  local killed = server().id
  vim.loop.kill(server().rpc.pid, "sigkill")
  vim.wait(20000, function()
    return not vim.lsp.get_client_by_id(killed)
  end, 10)
end
-- After that it is left alone.
vim.wait(1000, has_facts, 10)
seen.stays_away = not has_facts()
vim.fn.writefile({ vim.fn.json_encode(seen) }, "restarted.json")
vim.cmd("qall!")
