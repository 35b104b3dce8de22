// A process that speaks the Language Server Protocol: requests out, answers and notifications in. Nothing of VS Code.
//
//   const client = new Client(["reknit", "lsp"], notification => ..., why => ...);
//   await client.ask("initialize", {...});  client.tell("initialized", {});

"use strict";
const { spawn } = require("child_process");

class Client {
  constructor([program, ...words], heard, ended) {
    this.waiting = new Map();
    this.number = 0;
    this.heard = heard;
    this.bytes = Buffer.alloc(0);
    this.process = spawn(program, words, { stdio: ["pipe", "pipe", "pipe"] });
    this.process.stdout.on("data", (data) => this.read(data));
    this.errors = "";
    this.process.stderr.on("data", (data) => (this.errors = (this.errors + data).slice(-4000)));
    this.process.stdin.on("error", () => {}); // it has ended, which "close" says
    const end = (why) => {
      for (const { reject } of this.waiting.values()) reject(new Error(why));
      this.waiting.clear();
      ended(why);
    };
    this.process.on("error", (error) => end(error.message));
    this.process.on("close", (code) => end(`the server ended with ${code}. ${this.errors}`));
  }

  read(data) {
    this.bytes = Buffer.concat([this.bytes, data]);
    for (;;) {
      const head = this.bytes.indexOf("\r\n\r\n");
      if (head < 0) return;
      const length = /content-length: *(\d+)/i.exec(this.bytes.toString("ascii", 0, head));
      const end = head + 4 + Number(length ? length[1] : 0);
      if (this.bytes.length < end) return;
      const message = JSON.parse(this.bytes.toString("utf8", head + 4, end));
      this.bytes = this.bytes.subarray(end);
      this.take(message);
    }
  }

  take(message) {
    const asked = message.method === undefined ? this.waiting.get(message.id) : undefined;
    if (asked) {
      this.waiting.delete(message.id);
      message.error ? asked.reject(new Error(message.error.message)) : asked.resolve(message.result);
    } else if (message.method !== undefined && message.id !== undefined) {
      this.send({ id: message.id, result: null }); // the server asks for nothing that matters here
    } else if (message.method !== undefined) {
      this.heard(message.method, message.params);
    }
  }

  send(message) {
    const body = Buffer.from(JSON.stringify({ jsonrpc: "2.0", ...message }));
    this.process.stdin.write(`Content-Length: ${body.length}\r\n\r\n`);
    this.process.stdin.write(body);
  }

  tell(method, params) {
    this.send({ method, params });
  }

  ask(method, params) {
    return new Promise((resolve, reject) => {
      this.waiting.set(++this.number, { resolve, reject });
      this.send({ id: this.number, method, params });
    });
  }

  async stop() {
    await this.ask("shutdown", null);
    this.tell("exit", null);
  }
}

module.exports = { Client };
