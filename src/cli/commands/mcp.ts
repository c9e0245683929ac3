import { defineCommand } from "../arguments/command.ts";

export const mcp = defineCommand({
  description:
    "Speaks on standard input and output, for the project in this folder: have the agent start it with npx --no-install tsbuilder mcp. The agent can ask for help, checks, explanations, markers and objects of a running tsbuilder dev, and can write only what a plan has shown before.",
  flags: {},
  examples: ["tsbuilder mcp", "npx --no-install tsbuilder mcp"],
  streams: true,
  async run({ cwd, host, tsbuilder }) {
    const [{ StdioServerTransport }, { mcpServer }] = await Promise.all([
      import("@modelcontextprotocol/sdk/server/stdio.js"),
      import("../mcp/tools.ts"),
    ]);
    const server = await mcpServer(cwd, host, tsbuilder);
    const ended = new Promise<void>((resolve) => process.stdin.once("end", resolve));
    await server.connect(new StdioServerTransport());
    await ended;
    await server.close();
  },
});
