import { spawn } from "node:child_process";
import { prepareNode } from "./node-programs.ts";
import { startNode } from "./start-node.ts";

// A whole Kubernetes for people: `npm run lab -- real-node --shell`, or with a command to run in its place; `--embedded`
// or `--launchers` before it takes that control plane, `--nodes 2` adds a node, and `--prepare` only builds and installs what is needed.

const words = process.argv.slice(2);
const chosen = (["embedded", "launchers"] as const).find((name) => words[0] === `--${name}`);
if (chosen) words.shift();
const nodes = words[0] === "--nodes" ? Number(words.splice(0, 2)[1]) : 1;
if (![1, 2].includes(nodes)) {
  console.error("--nodes takes 1 or 2");
  process.exit(1);
}
const programs = prepareNode(chosen);
if ("missing" in programs) {
  console.error(programs.missing);
  process.exit(1);
}
if (words[0] === "--prepare") process.exit();
const node = await startNode(programs, { nodes });
console.log(`export KUBECONFIG=${node.kubeconfig}`);
console.log(`in its namespaces: ${node.enter.join(" ")} env KUBECONFIG=${node.insideKubeconfig} bash`);
if (words.length > 0) process.exitCode = await runBeside(words);
else await new Promise((resolve) => process.once("SIGINT", resolve).once("SIGTERM", resolve));
await node.stop();

function runBeside([first = "", ...rest]: string[]): Promise<number> {
  const [command, ...args] = first === "--shell" ? [process.env["SHELL"] ?? "bash"] : [first, ...rest];
  const env = { ...process.env, KUBECONFIG: node.kubeconfig, ENTER: node.enter.join(" ") };
  return new Promise((resolve) => {
    // Ctrl-C is for the command.
    process.on("SIGINT", () => {});
    spawn(command, args, { env, stdio: "inherit" }).once("exit", (code) => resolve(code ?? 1));
  });
}
