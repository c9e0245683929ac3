// npm run lab -- operators [--prepare] [NAME…]: builds operators of other people, and brings each to a ready sample with dev --exec.
// --prepare only builds them, and prints the commands.

import { join } from "node:path";
import { createClient, loadConfig } from "@tsbuilder/runtime";
import { startTsbuilder } from "../../support/dev/dev-process.ts";
import { eventually } from "../../support/eventually.ts";
import { type ForeignOperator, operators, type Sample } from "./catalog.ts";
import { prepareOperator } from "./prepare.ts";

const args = process.argv.slice(2);
const names = args.filter((word) => !word.startsWith("--"));
const chosen = operators.filter(
  ({ name }) => names.length === 0 || names.some((word) => name.includes(word)),
);
const inSeconds = (milliseconds: number): string => (milliseconds / 1000).toFixed(1);

/** Runs an operator until its sample is ready. Returns the row of a table: times since the command, and what it was refused. */
async function bringUp(operator: ForeignOperator, folder: string): Promise<readonly (string | number)[]> {
  const { name, version, command, sample } = operator;
  const started = performance.now();
  const flags = ["--plain", "--samples", "--manifests", "install.yaml", "--watch", "install.yaml"];
  const dev = startTsbuilder({ folder, env: {} }, "dev", ...flags, "--exec", command);
  try {
    await dev.sees("applied 1 sample");
    const applied = performance.now();
    const kubeconfig = join(folder, ".tsbuilder/dev/kubeconfig");
    const client = createClient(await loadConfig({ kubeconfig, env: {} }));
    const kind = await client.mapper.kindFor(sample);
    const key = { namespace: "default", name: sample.metadata.name };
    await eventually(async () => operator.isReady((await client.get(kind, key)) as Sample), dev.watch);
    const ready = performance.now();
    await client.close();
    const refused = dev.lines.filter((line) => line.includes("is not allowed to")).length;
    return [name, version, sample.kind, inSeconds(applied - started), inSeconds(ready - started), refused];
  } finally {
    await dev.stop("SIGINT");
  }
}

console.log("| operator | version | sample | applied, s | ready, s | rights refused |");
console.log("| --- | --- | --- | ---: | ---: | ---: |");
for (const operator of chosen) {
  try {
    const folder = await prepareOperator(operator);
    if (args.includes("--prepare")) {
      console.log(
        `cd ${folder}\ntsbuilder dev --samples --manifests install.yaml --exec '${operator.command}'\n`,
      );
    } else console.log(`| ${(await bringUp(operator, folder)).join(" | ")} |`);
  } catch (error) {
    process.exitCode = 1;
    console.log(`| ${operator.name} | ${(error as Error).message.split("\n").slice(0, 12).join("\n")} |`);
  }
}
