// The official TypeScript SDK's client: the talk to have on stdin as JSON, what it was told on stdout.
// typescript_sdk.mjs PACKAGES GENERATION: "v1" is @modelcontextprotocol/sdk, "v2" is @modelcontextprotocol/client.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [packages, generation] = process.argv.slice(2);
const { resolve } = createRequire(`${packages}/`);
const load = (name) => import(pathToFileURL(resolve(`@modelcontextprotocol/${name}`)));
const parts = {
  v1: ["sdk/client/index.js", "sdk/client/stdio.js", "sdk/client/streamableHttp.js"],
  v2: ["client", "client/stdio"],
}[generation];
const { Client, StdioClientTransport, StreamableHTTPClientTransport } = Object.assign(
  {},
  ...(await Promise.all(parts.map(load))),
);

const talk = JSON.parse(readFileSync(0, "utf8"));
// Only the second generation can choose its version.
const modern = talk.version >= "2026";
const options = {
  versionNegotiation: { mode: modern ? { pin: talk.version } : "legacy" },
  ...(modern ? {} : { supportedProtocolVersions: [talk.version] }),
};
const client = new Client({ name: "typescript-sdk", version: "1" }, generation === "v2" ? options : {});
const [command, ...args] = talk.command ?? [];
const transport = talk.url
  ? new StreamableHTTPClientTransport(new URL(talk.url))
  : new StdioClientTransport({ command, args, env: talk.env });
await client.connect(transport);

const each = async (items, ask) => {
  const answers = [];
  for (const item of items) answers.push(await ask(item));
  return answers;
};
const { tools } = await client.listTools();
const { resources } = await client.listResources();
const told = {
  tools,
  resources,
  calls: await each(talk.calls, ([name, args]) => client.callTool({ name, arguments: args })),
  reads: await each(talk.uris, (uri) => client.readResource({ uri })),
  missing: await client.readResource({ uri: talk.missing }).catch((error) => error.code),
  version: generation === "v2" ? client.getNegotiatedProtocolVersion() : (transport.protocolVersion ?? null),
};
await client.close();
console.log(JSON.stringify(told));
