// reknit in VS Code: what the server says, as the editor's own diagnostics, hovers, definitions, symbols and fixes.

"use strict";
const vscode = require("vscode");
const { Client } = require("./client.js");

const LANGUAGES = ["slang", "hlsl", "rk", "spvasm"];
let client = null;
let diagnostics;
let output;
let legend;
let providers = [];

const position = (where) => new vscode.Position(where.line, where.character);
const range = (where) => new vscode.Range(position(where.start), position(where.end));
const about = (document, where) => ({
  textDocument: { uri: document.uri.toString() },
  position: where && { line: where.line, character: where.character },
});
const isOurs = (document) => LANGUAGES.includes(document.languageId);

function heard(method, params) {
  if (method === "window/logMessage") output.appendLine(params.message);
  if (method !== "textDocument/publishDiagnostics") return;
  const shown = params.diagnostics.map((each) => {
    const diagnostic = new vscode.Diagnostic(range(each.range), each.message, each.severity - 1);
    diagnostic.code = each.code;
    diagnostic.source = each.source;
    return diagnostic;
  });
  diagnostics.set(vscode.Uri.parse(params.uri), shown);
}

function open(document) {
  if (!client || !isOurs(document)) return;
  const { languageId, version } = document;
  const uri = document.uri.toString();
  client.tell("textDocument/didOpen", { textDocument: { uri, languageId, version, text: document.getText() } });
}

async function start() {
  const settings = vscode.workspace.getConfiguration("reknit");
  const mine = new Client(settings.get("command"), heard, (why) => {
    if (client !== mine) return;
    client = null;
    output.appendLine(why);
    vscode.window.showErrorMessage(`reknit: ${why.trim().split("\n").pop()} (pip install 'reknit[lsp]')`);
  });
  client = mine;
  const answer = await client.ask("initialize", {
    processId: process.pid,
    rootUri: null,
    capabilities: {},
    initializationOptions: {
      target: settings.get("target"),
      include: settings.get("include"),
      defines: settings.get("defines"),
    },
  });
  client.tell("initialized", {});
  const words = answer.capabilities.semanticTokensProvider.legend;
  legend = new vscode.SemanticTokensLegend(words.tokenTypes, words.tokenModifiers);
  provide();
  vscode.workspace.textDocuments.forEach(open);
}

async function stop() {
  const old = client;
  client = null;
  providers.forEach((each) => each.dispose());
  providers = [];
  diagnostics.clear();
  if (old) await old.stop().catch(() => old.process.kill());
}

const ask = (method, params) => (client ? client.ask(method, params) : Promise.resolve(null));

function symbol(each) {
  const kind = each.kind - 1; // the protocol counts from 1
  const shown = new vscode.DocumentSymbol(each.name, each.detail || "", kind, range(each.range), range(each.selectionRange));
  shown.children = (each.children || []).map(symbol);
  return shown;
}

function action(each, document) {
  const shown = new vscode.CodeAction(each.title, vscode.CodeActionKind.QuickFix);
  shown.edit = new vscode.WorkspaceEdit();
  for (const edit of each.edit.changes[document.uri.toString()])
    shown.edit.replace(document.uri, range(edit.range), edit.newText);
  const codes = each.diagnostics.map((diagnostic) => diagnostic.code);
  shown.diagnostics = (diagnostics.get(document.uri) || []).filter((diagnostic) => codes.includes(diagnostic.code));
  return shown;
}

const HOVER = {
  async provideHover(document, where) {
    const said = await ask("textDocument/hover", about(document, where));
    return said && new vscode.Hover(new vscode.MarkdownString(said.contents.value), range(said.range));
  },
};
const DEFINITION = {
  async provideDefinition(document, where) {
    const place = await ask("textDocument/definition", about(document, where));
    return place && new vscode.Location(vscode.Uri.parse(place.uri), range(place.range));
  },
};
const SYMBOLS = {
  async provideDocumentSymbols(document) {
    return ((await ask("textDocument/documentSymbol", about(document))) || []).map(symbol);
  },
};
const ACTIONS = {
  async provideCodeActions(document, where, context) {
    const shown = context.diagnostics.filter((each) => each.source === "reknit");
    if (!shown.length) return [];
    const plain = (at) => ({ line: at.line, character: at.character });
    const span = (at) => ({ start: plain(at.start), end: plain(at.end) });
    const found = shown.map(({ range, message, code, source }) => ({ range: span(range), message, code, source }));
    const params = { ...about(document), range: span(where), context: { diagnostics: found } };
    return ((await ask("textDocument/codeAction", params)) || []).map((each) => action(each, document));
  },
};
const TOKENS = {
  async provideDocumentSemanticTokens(document) {
    const tokens = await ask("textDocument/semanticTokens/full", about(document));
    return tokens && new vscode.SemanticTokens(new Uint32Array(tokens.data));
  },
};

function provide() {
  const { languages } = vscode;
  providers = [
    languages.registerHoverProvider(LANGUAGES, HOVER),
    languages.registerDefinitionProvider(LANGUAGES, DEFINITION),
    languages.registerDocumentSymbolProvider(LANGUAGES, SYMBOLS),
    languages.registerCodeActionsProvider(LANGUAGES, ACTIONS),
    languages.registerDocumentSemanticTokensProvider(LANGUAGES, TOKENS, legend),
  ];
}

async function activate(context) {
  diagnostics = vscode.languages.createDiagnosticCollection("reknit");
  output = vscode.window.createOutputChannel("reknit");
  const { workspace } = vscode;
  context.subscriptions.push(
    diagnostics,
    output,
    workspace.onDidOpenTextDocument(open),
    workspace.onDidChangeTextDocument(({ document }) => {
      if (!client || !isOurs(document)) return;
      const textDocument = { uri: document.uri.toString(), version: document.version };
      client.tell("textDocument/didChange", { textDocument, contentChanges: [{ text: document.getText() }] });
    }),
    workspace.onDidCloseTextDocument((document) => {
      if (client && isOurs(document)) client.tell("textDocument/didClose", about(document));
    }),
    vscode.commands.registerCommand("reknit.restart", async () => {
      await stop();
      await start();
    }),
  );
  await start().catch(() => {}); // the end of the server has said why
}

module.exports = { activate, deactivate: stop };
