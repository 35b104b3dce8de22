// Runs the extension with a stand-in for `vscode`: FILE COMMAND EXTENSION. Prints what it showed.
const Module = require("module");
const load = Module._load;
class Position { constructor(line, character) { Object.assign(this, { line, character }); } }
class Range { constructor(start, end) { Object.assign(this, { start, end }); } }
class Plain { constructor(...words) { this.words = words; } }
const made = {}, heard = {}, shown = {};
const providers = new Proxy({}, { get: (_, name) => name === "createDiagnosticCollection"
  ? () => ({ set: (uri, found) => { shown[uri] = found; wake(); }, get: (uri) => shown[uri], clear() {}, dispose() {} })
  : (_, provider) => { made[name] = provider; return { dispose() {} }; } });
let wake = () => {};
const text = require("fs").readFileSync(process.argv[2], "utf8");
const document = { languageId: "rk", version: 1, uri: { toString: () => "file:///nowhere/loop.rk" }, getText: () => text };
const vscode = {
  Position, Range, Diagnostic: class { constructor(range, message, severity) { Object.assign(this, { range, message, severity }); } },
  DocumentSymbol: class { constructor(name) { this.name = name; } },
  CodeAction: class { constructor(title) { this.title = title; } }, CodeActionKind: {},
  WorkspaceEdit: class { constructor() { this.edits = []; } replace(uri, range, words) { this.edits.push(words); } },
  Hover: Plain, MarkdownString: Plain, Location: Plain, SemanticTokens: Plain, SemanticTokensLegend: Plain,
  Uri: { parse: (uri) => uri }, languages: providers, commands: { registerCommand: () => ({}) },
  window: { createOutputChannel: () => ({ appendLine: (line) => console.error(line) }), showErrorMessage: (line) => console.error(line) },
  workspace: {
    getConfiguration: () => ({ get: (name) => name === "command" ? JSON.parse(process.argv[3]) : undefined }),
    textDocuments: [document],
    ...Object.fromEntries(["Open", "Change", "Close"].map((when) => [`onDid${when}TextDocument`, (on) => { heard[when] = on; return {}; }])),
  },
};
Module._load = (name, ...rest) => (name === "vscode" ? vscode : load(name, ...rest));
const extension = require(process.argv[4]);
(async () => {
  await extension.activate({ subscriptions: { push() {} } });
  if (!shown["file:///nowhere/loop.rk"]) await new Promise((resolve) => (wake = resolve));
  const found = shown["file:///nowhere/loop.rk"];
  document.uri.valueOf = () => "file:///nowhere/loop.rk";
  const at = found[0].range.start;
  const hover = await made.registerHoverProvider.provideHover(document, at);
  const place = await made.registerDefinitionProvider.provideDefinition(document, at);
  const symbols = await made.registerDocumentSymbolProvider.provideDocumentSymbols(document);
  const actions = await made.registerCodeActionsProvider.provideCodeActions(document, found[0].range, { diagnostics: found });
  const tokens = await made.registerDocumentSemanticTokensProvider.provideDocumentSemanticTokens(document);
  console.log(JSON.stringify({ codes: found.map((each) => each.code), line: at.line, hover: hover.words[0].words[0],
    place: place.words[1].start.line, symbols: symbols.map((each) => each.name), titles: actions.map((each) => each.title),
    edits: actions[0].edit.edits, tokens: tokens.words[0].length % 5 }));
  await extension.deactivate();
})();
