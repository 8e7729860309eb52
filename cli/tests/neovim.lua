-- Drives a headless Neovim through what a user would do, and writes down what it saw.
local seen = {}

local function wait(what, condition)
  if not vim.wait(30000, condition, 10) then
    error("waited in vain for " .. what)
  end
end

local function client_named(name)
  for _, client in ipairs(vim.lsp.get_active_clients()) do
    if client.name == name then
      return client
    end
  end
end

-- What one server says about the file.
local function said_by(name)
  local client = client_named(name)
  return client and vim.diagnostic.get(0, { namespace = vim.lsp.diagnostic.get_namespace(client.id) }) or {}
end

local function ours()
  return said_by("hindmost")
end

local function diagnostics()
  local found = {}
  for _, each in ipairs(ours()) do
    table.insert(found, {
      line = each.lnum + 1,
      column = each.col + 1,
      severity = each.severity,
      source = each.source,
      code = each.code or each.user_data.lsp.code,
      message = each.message,
      related = each.user_data.lsp.relatedInformation,
    })
  end
  table.sort(found, function(a, b)
    return a.line < b.line or (a.line == b.line and a.severity < b.severity)
  end)
  return found
end

local function walk(key, times)
  local places = {}
  for _ = 1, times do
    local before = require("hindmost").at
    vim.cmd("normal " .. key)
    wait("a step", function() return require("hindmost").at ~= before end)
    local at = vim.api.nvim_win_get_cursor(0)
    table.insert(places, { at[1], at[2] + 1 })
  end
  return places
end

-- The server of the language, as its users start it.
local function start_beside(command)
  local id
  vim.api.nvim_create_autocmd("FileType", {
    pattern = { "c", "cpp" },
    callback = function(event)
      id = id or vim.lsp.start_client({ name = "beside", cmd = { command }, root_dir = vim.fn.getcwd() })
      vim.lsp.buf_attach_client(event.buf, id)
    end,
  })
end

-- What both servers are asked at once, and what only the other one knows. `line` is the call of step(), which ours has facts on.
local function ask_beside(line)
  wait("the other server", function() return client_named("beside") end)
  local other = client_named("beside")
  local answers = { pid = other.rpc.pid, encoding = other.offset_encoding }
  vim.api.nvim_win_set_cursor(0, { line, 10 })
  local params = vim.lsp.util.make_position_params(0, other.offset_encoding)
  answers.hovers = {}
  for id, answer in pairs(vim.lsp.buf_request_sync(0, "textDocument/hover", params, 30000)) do
    answers.hovers[vim.lsp.get_client_by_id(id).name] = answer.result.contents.value
  end
  -- As the user's key does it: a server that does not know the method must not be asked, and none may answer for another.
  vim.lsp.buf.definition()
  wait("the definition", function() return vim.api.nvim_win_get_cursor(0)[1] ~= line end)
  answers.definition = vim.api.nvim_win_get_cursor(0)

  -- A mistake, in a line that the slice does not need: theirs comes, and ours stays where it is.
  vim.api.nvim_buf_set_lines(0, 16, 17, false, { "\tother += unheard_of;" })
  wait("the other server's diagnostic", function() return #said_by("beside") > 0 end)
  answers.mistakes = {}
  for _, each in ipairs(said_by("beside")) do
    table.insert(answers.mistakes, { each.lnum + 1, each.message })
  end
  answers.kept = {}
  for _, each in ipairs(diagnostics()) do
    table.insert(answers.kept, { each.line, each.code })
  end
  vim.cmd("silent undo")
  wait("no mistake", function() return #said_by("beside") == 0 end)
  return answers
end

local function main()
  local hindmost = require("hindmost")
  if vim.env.BESIDE then
    start_beside(vim.env.BESIDE)
  end
  hindmost.setup({ command = { vim.env.HINDMOST, "lsp" }, map = "job.hmap", snapshot = "stacks" })
  vim.cmd("filetype on | edit job.c | set filetype=c")
  wait("diagnostics", function() return #ours() > 0 end)
  seen.diagnostics = diagnostics()

  local client = client_named("hindmost")
  seen.pid = client.rpc.pid
  seen.encoding = client.offset_encoding

  vim.api.nvim_win_set_cursor(0, { 30, 4 })
  local params = vim.lsp.util.make_position_params(0, client.offset_encoding)
  local hover = client.request_sync("textDocument/hover", params, 30000, 0)
  seen.hover = hover.result.contents.value

  hindmost.show(0)
  wait("lenses", function() return #vim.lsp.codelens.get(0) > 0 end)
  seen.lenses = {}
  for _, lens in ipairs(vim.lsp.codelens.get(0)) do
    table.insert(seen.lenses, lens.range.start.line + 1 .. ": " .. lens.command.title)
  end
  local marks = vim.api.nvim_get_namespaces()["hindmost-hints"]
  wait("hints", function() return #vim.api.nvim_buf_get_extmarks(0, marks, 0, -1, {}) > 0 end)
  seen.hints = {}
  for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, marks, 0, -1, { details = true })) do
    table.insert(seen.hints, mark[2] + 1 .. ": " .. mark[4].virt_text[1][1])
  end

  if vim.env.BESIDE then
    seen.beside = ask_beside(30)
  end

  seen.next = walk("]h", 4)
  seen.previous = walk("[h", 2)

  vim.cmd("HindmostSlice")
  wait("the slice's list", function() return #vim.fn.getqflist() > 0 end)
  seen.slice = {}
  for _, item in ipairs(vim.fn.getqflist()) do
    table.insert(seen.slice, { item.lnum, item.col, item.text })
  end

  -- The command line's list, as :make or :cgetfile would read it.
  vim.cmd("set errorformat& | cgetfile lines.txt")
  seen.quickfix = {}
  for _, item in ipairs(vim.fn.getqflist()) do
    local name = item.bufnr > 0 and vim.fn.fnamemodify(vim.fn.bufname(item.bufnr), ":t") or ""
    table.insert(seen.quickfix, { item.valid, name, item.lnum, item.col, item.type, item.text })
  end

  vim.cmd("HindmostFade")
  wait("fading", function() return #ours() > #seen.diagnostics end)
  seen.faded = diagnostics()
  vim.cmd("HindmostFade")
  wait("no fading", function() return #ours() == #seen.diagnostics end)

  -- Unsaved: a line above moves what is below it; an edit of the line itself takes the facts away.
  vim.api.nvim_buf_set_lines(0, 0, 0, false, { "/* one more line */" })
  wait("a diagnostic that moved", function()
    local all = diagnostics()
    return #all > 0 and all[1].line == seen.diagnostics[1].line + 1
  end)
  seen.moved = diagnostics()
  local line = seen.moved[1].line
  vim.api.nvim_buf_set_lines(0, line - 1, line, false, { "\tpause(), pause();" })
  wait("nothing on an edited line", function() return #ours() == 0 end)
  vim.cmd("silent undo | silent undo")
  wait("the same as before", function()
    local all = diagnostics()
    return #all > 0 and all[1].line == seen.diagnostics[1].line
  end)

  -- Something else on disk, which the server is told of.
  vim.cmd("HindmostReload damaged")
  local told
  local handler = vim.lsp.handlers["window/showMessage"]
  vim.lsp.handlers["window/showMessage"] = function(problem, result, ...)
    told = result.message
    return handler and handler(problem, result, ...)
  end
  wait("a message", function() return told ~= nil end)
  seen.told = told
end

local fine, problem = pcall(main)
seen.problem = not fine and tostring(problem) or nil
vim.fn.writefile({ vim.fn.json_encode(seen) }, "seen.json")
vim.cmd("qall!")
