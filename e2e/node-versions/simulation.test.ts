import { execFile } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const script = fileURLToPath(new URL("hash-traces.ts", import.meta.url));

/** This Node, and the others that can be found by PATH: a step of CI puts its own before the machine's. */
const nodes = new Set(
  [process.execPath, ...(process.env["PATH"] ?? "").split(delimiter).map((folder) => join(folder, "node"))]
    .filter((path) => existsSync(path))
    .map((path) => realpathSync(path)),
);

async function hashOn(node: string): Promise<string> {
  const args = ["--conditions=@tsbuilder/source", "--import", "tsx", script, "20"];
  return (await promisify(execFile)(node, args)).stdout;
}

/** Node 26 gives other traces than those before it, equal ones each time. */
const isAlone = Number(process.versions.node.split(".")[0]) >= 26;
if (isAlone) console.log("left out: the traces of other Nodes, which differ from those of Node 26");

test("every Node gives the same traces, as does every process", async () => {
  const [own, ...others] = nodes;
  const hash = await hashOn(own!);
  expect(hash).toMatch(/^[0-9a-f]{64}$/);
  for (const node of others.length > 0 && !isAlone ? others : [own!]) expect(await hashOn(node)).toBe(hash);
});
