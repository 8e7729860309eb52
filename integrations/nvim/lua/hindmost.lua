-- What hindmost found about a job, in Neovim (0.7 or later). docs/editor.md tells how to set it up.
local M = {}

local options = {
  command = { "hindmost", "lsp" },
  map = nil, -- made by `hindmost map`
  snapshot = nil, -- saved by `hindmost find --save`, or by `hindmost watch`
  report = nil, -- or the answer, written by `hindmost find --format json`
  filetypes = { "c", "cpp", "fortran" },
  keys = true, -- ]h and [h walk the slice
}

local client_id = nil
local hint_marks = vim.api.nvim_create_namespace("hindmost-hints")

local function client()
  return client_id and vim.lsp.get_client_by_id(client_id)
end

local function absolute(path)
  return path and vim.fn.fnamemodify(path, ":p")
end

local function say(text, level)
  vim.notify("hindmost: " .. text, level or vim.log.levels.INFO)
end

-- Goes to a location, unless the server asks the client to: then it has gone there already.
local function jump(location)
  local window = vim.lsp.protocol.make_client_capabilities().window
  if window.showDocument and window.showDocument.support then
    return
  end
  vim.lsp.util.jump_to_location(location, client().offset_encoding)
end

-- Runs a command of the server; `answered` gets its result.
function M.run(command, arguments, answered)
  local server = client()
  if not server then
    return say("no server runs here", vim.log.levels.WARN)
  end
  server.request("workspace/executeCommand", { command = command, arguments = arguments }, function(problem, result)
    if problem then
      return say(problem.message, vim.log.levels.WARN)
    end
    if answered then
      answered(result)
    end
  end, vim.api.nvim_get_current_buf())
end

-- The step of the slice that was gone to last.
M.at = nil

local function step(result)
  if type(result) ~= "table" or not result.step then
    return
  end
  M.at = result
  if type(result.location) == "table" then
    jump(result.location)
  end
  vim.api.nvim_echo({ { string.format("%d/%d %s", result.step, result.steps, result.message) } }, false, {})
end

function M.next()
  M.run("hindmost.next", {}, step)
end

function M.previous()
  M.run("hindmost.previous", {}, step)
end

-- The slice of the hindmost (or of the given class or place) as a quickfix list.
function M.slice(arguments)
  M.run("hindmost.slice", arguments or {}, function(result)
    local locations, texts = {}, {}
    for _, each in ipairs(result.steps) do
      if type(each.location) == "table" then
        table.insert(locations, each.location)
        texts[each.location.uri .. each.location.range.start.line] = each.message
      end
    end
    -- One after the other: together they would be sorted by line.
    local items = {}
    for _, location in ipairs(locations) do
      local item = vim.lsp.util.locations_to_items({ location }, client().offset_encoding)[1]
      item.text = texts[location.uri .. location.range.start.line]
      table.insert(items, item)
    end
    vim.fn.setqflist({}, " ", { title = "hindmost", items = items })
  end)
end

-- The slice of the line that the cursor is on.
function M.slice_here()
  local place = vim.lsp.util.make_position_params(0, client() and client().offset_encoding)
  M.slice({ place })
end

-- Fades what is not in the slice, or no longer. Neovim shows it from 0.9 on.
function M.fade()
  M.run("hindmost.fade", {})
end

-- Loads map and stacks anew, or others: { snapshot = "..." }.
function M.reload(changed)
  local arguments = {}
  if changed then
    arguments = { { map = absolute(changed.map), snapshot = absolute(changed.snapshot), report = absolute(changed.report) } }
  end
  M.run("hindmost.reload", arguments, function()
    M.show(vim.api.nvim_get_current_buf())
  end)
end

-- Shows lenses, and the values of loops at the ends of lines.
function M.show(buffer)
  local server = client()
  -- Before that, 0.7 would wait for an answer that never comes.
  if not server or not server.initialized or not vim.lsp.buf_is_attached(buffer, client_id) then
    return
  end
  vim.api.nvim_buf_call(buffer, vim.lsp.codelens.refresh)
  local last = vim.api.nvim_buf_line_count(buffer)
  local params = {
    textDocument = vim.lsp.util.make_text_document_params(buffer),
    range = { start = { line = 0, character = 0 }, ["end"] = { line = last, character = 0 } },
  }
  server.request("textDocument/inlayHint", params, function(_, hints)
    if not vim.api.nvim_buf_is_valid(buffer) then
      return
    end
    vim.api.nvim_buf_clear_namespace(buffer, hint_marks, 0, -1)
    for _, hint in ipairs(type(hints) == "table" and hints or {}) do
      if hint.position.line < vim.api.nvim_buf_line_count(buffer) then
        vim.api.nvim_buf_set_extmark(buffer, hint_marks, hint.position.line, 0, {
          virt_text = { { hint.label, "Comment" } },
        })
      end
    end
  end, buffer)
end

local attach
local restarts = {}

-- A server that has crashed is started again, but not for ever: three times within a minute. One that was stopped (SIGTERM) is not.
local function restart(code, signal)
  if vim.v.exiting ~= vim.NIL or (code == 0 and signal == 0) or signal == 15 then
    return
  end
  local now = vim.loop.now()
  restarts = vim.tbl_filter(function(at) return now - at < 60000 end, restarts)
  if #restarts >= 3 then
    vim.notify("hindmost: the server has ended four times within a minute, and is left alone", vim.log.levels.ERROR)
    return
  end
  table.insert(restarts, now)
  vim.notify("hindmost: the server has ended and is started again", vim.log.levels.WARN)
  client_id = nil
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(buffer) and vim.tbl_contains(options.filetypes, vim.bo[buffer].filetype) then
      attach(buffer)
    end
  end
end

function attach(buffer)
  if not client() then
    client_id = vim.lsp.start_client({
      name = "hindmost",
      cmd = options.command,
      root_dir = vim.fn.getcwd(),
      init_options = {
        map = absolute(options.map),
        snapshot = absolute(options.snapshot),
        report = absolute(options.report),
      },
      on_exit = vim.schedule_wrap(restart),
      on_attach = function(_, attached)
        M.show(attached)
      end,
    })
  end
  if client_id then
    vim.lsp.buf_attach_client(buffer, client_id)
  end
end

function M.setup(given)
  options = vim.tbl_extend("force", options, given or {})
  vim.lsp.commands["hindmost.slice"] = function(command)
    M.slice(command.arguments)
  end
  local group = vim.api.nvim_create_augroup("hindmost", {})
  vim.api.nvim_create_autocmd("FileType", {
    group = group,
    pattern = options.filetypes,
    callback = function(event)
      attach(event.buf)
    end,
  })
  vim.api.nvim_create_autocmd({ "BufEnter", "CursorHold", "InsertLeave" }, {
    group = group,
    callback = function(event)
      M.show(event.buf)
    end,
  })
  local command = vim.api.nvim_create_user_command
  command("HindmostSlice", function() M.slice() end, {})
  command("HindmostSliceHere", M.slice_here, {})
  command("HindmostNext", M.next, {})
  command("HindmostPrevious", M.previous, {})
  command("HindmostFade", M.fade, {})
  command("HindmostReload", function(given_to)
    M.reload(given_to.args ~= "" and { snapshot = given_to.args } or nil)
  end, { nargs = "?", complete = "file" })
  if options.keys then
    vim.keymap.set("n", "]h", M.next, { desc = "next step of the slice" })
    vim.keymap.set("n", "[h", M.previous, { desc = "previous step of the slice" })
  end
end

return M
