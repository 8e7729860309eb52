// Starts `hindmost lsp` and gives its commands names in the palette. All that is shown comes from the server (docs/editor.md).
"use strict";

const vscode = require("vscode");
const { LanguageClient, State } = require("vscode-languageclient/node");

const SOURCES = ["map", "snapshot", "report", "recordings"];

let client;
let steps;

// What the server is told to load: of the settings those that are set.
function sources() {
  const settings = vscode.workspace.getConfiguration("hindmost");
  const named = SOURCES.map((name) => [name, settings.get(name)]);
  return Object.fromEntries(named.filter(([, value]) => value));
}

// Runs a command of the server; nothing, and a message, where there is none or it refuses.
async function run(command, ...given) {
  if (!client || client.state !== State.Running) {
    vscode.window.showWarningMessage("hindmost: no server runs here; open a file of C or C++");
    return undefined;
  }
  try {
    return await client.sendRequest("workspace/executeCommand", { command, arguments: given });
  } catch (problem) {
    vscode.window.showWarningMessage(`hindmost: ${problem.message}`);
    return undefined;
  }
}

async function goTo(location) {
  const place = client.protocol2CodeConverter.asLocation(location);
  await vscode.window.showTextDocument(place.uri, { selection: place.range });
}

// The server has shown the step in the editor; its words go into the status bar.
async function step(command) {
  const found = await run(command);
  if (found && found.step) {
    steps.text = `$(debug-step-back) ${found.step}/${found.steps} ${found.message}`;
    steps.show();
  }
}

async function slice(...given) {
  const found = await run("hindmost.slice", ...given);
  if (!found) return;
  const items = found.steps.map((each, at) => ({
    label: `${at + 1}. ${each.message}`,
    description: `${each.file}:${each.line}`,
    location: each.location,
  }));
  const chosen = await vscode.window.showQuickPick(items, { title: "hindmost: the slice, nearest first", matchOnDescription: true });
  if (chosen && chosen.location) await goTo(chosen.location);
}

function sliceHere() {
  const editor = vscode.window.activeTextEditor;
  if (!editor) return undefined;
  const { line, character } = editor.selection.active;
  return slice({ textDocument: { uri: editor.document.uri.toString() }, position: { line, character } });
}

async function load() {
  const chosen = await vscode.window.showOpenDialog({ title: "Recorded stacks", canSelectMany: false });
  if (chosen) await run("hindmost.reload", { snapshot: chosen[0].fsPath });
}

async function activate(context) {
  const settings = vscode.workspace.getConfiguration("hindmost");
  const server = { command: settings.get("command"), args: ["lsp"] };
  client = new LanguageClient("hindmost", "hindmost", server, {
    documentSelector: [
      { scheme: "file", language: "c" },
      { scheme: "file", language: "cpp" },
      // Whatever the extension for Fortran calls it, if there is one.
      { scheme: "file", pattern: "**/*.{f,F,f90,F90,f95,F95,f03,f08}" },
    ],
    initializationOptions: sources(),
  });
  steps = vscode.window.createStatusBarItem(vscode.StatusBarAlignment.Left);
  const commands = {
    showSlice: () => slice(),
    showSliceHere: sliceHere,
    showNext: () => step("hindmost.next"),
    showPrevious: () => step("hindmost.previous"),
    toggleFade: () => run("hindmost.fade"),
    load,
  };
  for (const [name, execute] of Object.entries(commands)) {
    context.subscriptions.push(vscode.commands.registerCommand(`hindmost.${name}`, execute));
  }
  context.subscriptions.push(
    steps,
    vscode.workspace.onDidChangeConfiguration((changed) => {
      if (SOURCES.some((name) => changed.affectsConfiguration(`hindmost.${name}`))) run("hindmost.reload", sources());
    }),
  );
  await client.start();
}

function deactivate() {
  return client && client.stop();
}

module.exports = { activate, deactivate };
