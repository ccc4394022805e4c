// The smallest loop in Node that answers JSON-RPC on stdin and stdout, one message a line.
import { createInterface } from "node:readline";

const RESULT = { content: [{ type: "text", text: '{"ok":true}' }], structuredContent: { ok: true } };

for await (const line of createInterface({ input: process.stdin })) {
  const { id } = JSON.parse(line);
  if (id !== undefined) process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result: RESULT }) + "\n");
}
