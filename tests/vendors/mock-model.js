// A model service for the real CLIs on the loopback interface: what it answers is written down by the test.
//
//   node mock-model.js SCRIPT LOG
//
// Prints its port on standard output once it listens, and ends when its standard input does, so that it cannot outlive
// the test that started it. SCRIPT is a JSON object, read at each request: a word -> the tool calls of the session
// whose newest user prompt has `mock:WORD`, in their order. A tool call is a shell command (string), or
// {"tool": NAME, "input": {...}}. When they are used up the session gets a closing message.
//
// Codex's automatic reviewer, which is asked before a command leaves the sandbox, approves everything.
//
// A request below /refuse/NAME/ is refused at once (400), which ends the session; its body is then in LOG.NAME.
//
// LOG gets one JSON line a request: {api, word, model, effort, tools, turn, output}. `turn` is the number of tool calls
// that the session has had an answer to, `output` the text of the newest answer.
const http = require('http'), fs = require('fs');
const [scriptFile, logFile] = process.argv.slice(2);
let serial = 0;

const text = (content) =>
  typeof content === 'string' ? content
  : Array.isArray(content) ? content.map((c) => (typeof c === 'string' ? c : c.text ?? '')).join('\n')
  : JSON.stringify(content ?? '');

// Codex: the input is a flat list of items.
function readResponses(body) {
  const items = Array.isArray(body.input) ? body.input : [];
  return {
    prompts: items.filter((i) => i.role === 'user').map((i) => text(i.content)),
    outputs: items.filter((i) => /call_output$/.test(i.type ?? '')).map((i) => text(i.output)),
    effort: body.reasoning?.effort ?? null,
  };
}

// Claude: tool results are parts of user messages; only the other parts are prompts.
function readMessages(body) {
  const parts = (body.messages ?? []).filter((m) => m.role === 'user')
    .flatMap((m) => (typeof m.content === 'string' ? [{ type: 'text', text: m.content }] : m.content ?? []));
  return {
    prompts: parts.filter((p) => p.type === 'text').map((p) => p.text),
    outputs: parts.filter((p) => p.type === 'tool_result').map((p) => text(p.content)),
    effort: body.output_config?.effort ?? null,
  };
}

// Gemini: a function's answer is a part of a user message. The first message tells about the environment, and the CLI may put a
// text of its own behind the answers.
function readContents(body) {
  const parts = (body.contents ?? []).filter((c) => c.role === 'user').flatMap((c) => c.parts ?? []);
  return {
    prompts: parts.filter((p) => typeof p.text === 'string').map((p) => p.text),
    outputs: parts.filter((p) => p.functionResponse).map((p) => text(p.functionResponse.response?.output ?? p.functionResponse.response)),
    effort: body.generationConfig?.thinkingConfig?.thinkingLevel ?? null,
  };
}

function plan({ prompts, outputs }, tools) {
  const word = prompts.map((p) => /\bmock:([A-Za-z0-9_]+)/.exec(p)?.[1]).filter(Boolean).at(-1) ?? null;
  // A shell command that is still running is waited for; that is no turn of the script.
  const running = /Process running with session ID (\d+)/.exec(outputs.at(-1) ?? '')?.[1];
  const turn = outputs.filter((o) => !/Process running with session ID \d+/.test(o)).length;
  const calls = word === null || !tools ? [] : JSON.parse(fs.readFileSync(scriptFile, 'utf8'))[word] ?? [];
  return { word, turn, running, call: running ? null : calls[turn] ?? null };
}

function sendEvents(res, events) {
  res.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const e of events) res.write(`event: ${e.type}\ndata: ${JSON.stringify(e)}\n\n`);
  res.end();
}
function sendJson(res, status, value) {
  res.writeHead(status, { 'content-type': 'application/json' });
  res.end(JSON.stringify(value));
}

function answerResponses(res, { call, running, review }) {
  const tool = (name, input) => ({ type: 'function_call', id: `fc_${serial}`, call_id: `call_${serial}`, name,
    arguments: JSON.stringify(input), status: 'completed' });
  const item = running ? tool('write_stdin', { session_id: +running, chars: '', yield_time_ms: 30000 })
    : typeof call === 'string' ? tool('exec_command', { cmd: call, yield_time_ms: 30000 })
    : call ? tool(call.tool, call.input)
    : { type: 'message', id: `msg_${serial}`, role: 'assistant', status: 'completed',
        content: [{ type: 'output_text', text: review ? '{"outcome":"allow"}' : 'done', annotations: [] }] };
  const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2, input_tokens_details: { cached_tokens: 0 },
    output_tokens_details: { reasoning_tokens: 0 } };
  const id = `resp_${serial}`;
  sendEvents(res, [
    { type: 'response.created', response: { id, status: 'in_progress', output: [] } },
    { type: 'response.output_item.added', output_index: 0, item },
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response: { id, status: 'completed', output: [item], usage } },
  ]);
}

function answerMessages(res, body, { call }) {
  const block = !call ? { type: 'text', text: 'done' }
    : { type: 'tool_use', id: `toolu_${serial}`, name: call.tool ?? 'Bash',
        input: call.input ?? { command: call, description: 'probe', timeout: 300000 } };
  const stop_reason = call ? 'tool_use' : 'end_turn';
  const message = { id: `msg_${serial}`, type: 'message', role: 'assistant', model: body.model, content: [],
    stop_reason: null, stop_sequence: null, usage: { input_tokens: 1, output_tokens: 1 } };
  if (!body.stream) return sendJson(res, 200, { ...message, content: [block], stop_reason });
  const delta = call ? { type: 'input_json_delta', partial_json: JSON.stringify(block.input) }
    : { type: 'text_delta', text: block.text };
  sendEvents(res, [
    { type: 'message_start', message },
    { type: 'content_block_start', index: 0, content_block: call ? { ...block, input: {} } : { ...block, text: '' } },
    { type: 'content_block_delta', index: 0, delta },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason }, usage: { output_tokens: 5 } },
    { type: 'message_stop' },
  ]);
}

function answerContents(res, streamed, { call }) {
  const part = !call ? { text: 'done' }
    : { functionCall: { name: call.tool ?? 'run_shell_command', args: call.input ?? { command: call, description: 'probe' } } };
  const value = { candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP', index: 0 }],
    usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 } };
  if (!streamed) return sendJson(res, 200, value);
  res.writeHead(200, { 'content-type': 'text/event-stream' });
  res.end(`data: ${JSON.stringify(value)}\n\n`);
}

// The service that a path belongs to. Gemini's names the model: …/models/MODEL:streamGenerateContent
function apiOf(path) {
  if (path.endsWith('/responses')) return 'responses';
  if (path.endsWith('/messages')) return 'messages';
  return /:(streamG|g)enerateContent$/.test(path) ? 'contents' : null;
}
const readers = { responses: readResponses, messages: readMessages, contents: readContents };

function answer(req, res, raw) {
  let body = {};
  try { body = JSON.parse(raw); } catch { /* a GET, or a probe without a body */ }
  const path = req.url.replace(/\?.*/, ''), refuse = /^\/refuse\/(\w+)\//.exec(path);
  if (refuse && req.method === 'POST') {
    fs.writeFileSync(`${logFile}.${refuse[1]}`, raw);
    return sendJson(res, 400, { error: { message: 'refused' } });
  }
  const api = apiOf(path), model = body.model ?? /\/models\/([^:]+):/.exec(path)?.[1] ?? null;
  if (req.method !== 'POST' || !api) return sendJson(res, path.endsWith('/models') ? 200 : 404, { object: 'list', data: [], models: [] });
  serial++;
  const tools = (body.tools ?? []).flatMap((t) => t.functionDeclarations ?? [t]).map((t) => t.name ?? t.type);
  const session = readers[api](body);
  const review = body.text?.format?.schema?.properties?.outcome !== undefined;
  const next = review ? { word: 'review', turn: 0, review } : plan(session, api === 'responses' || tools.length > 0);
  fs.appendFileSync(logFile, JSON.stringify({ api, word: next.word, model, effort: session.effort,
    tools: tools.length, turn: next.turn, output: session.outputs.at(-1) ?? null }) + '\n');
  if (process.env.MOCK_KEEP) fs.appendFileSync(`${logFile}.raw`, raw + '\n');
  if (api === 'responses') answerResponses(res, next);
  else if (api === 'contents') answerContents(res, path.endsWith(':streamGenerateContent'), next);
  else answerMessages(res, body, next);
}

const server = http.createServer((req, res) => {
  let raw = '';
  req.setEncoding('utf8').on('data', (d) => { raw += d; }).on('end', () => {
    try { answer(req, res, raw); } catch (e) { console.error(e); sendJson(res, 500, { error: { message: String(e) } }); }
  });
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
process.stdin.resume().on('end', () => process.exit(0));
