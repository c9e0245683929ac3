import { existsSync, realpathSync } from "node:fs";
import { delimiter, join } from "node:path";
import { expect, test } from "vitest";
import { hashesOn } from "./hashes-on.ts";

/** This Node, and the others that can be found by PATH: a step of CI puts its own before the machine's. */
const nodes = new Set(
  [process.execPath, ...(process.env["PATH"] ?? "").split(delimiter).map((folder) => join(folder, "node"))]
    .filter((path) => existsSync(path))
    .map((path) => realpathSync(path)),
);

/** Node 26 gives other traces than those before it, equal ones each time. */
const isAlone = Number(process.versions.node.split(".")[0]) >= 26;
if (isAlone) console.log("left out: the traces of other Nodes, which differ from those of Node 26");

test("every Node gives the same traces, as does every process", async () => {
  const [own, ...others] = nodes;
  const hashes = await hashesOn(own!, 20);
  expect(hashes).toHaveLength(20);
  for (const node of others.length > 0 && !isAlone ? others : [own!])
    expect(await hashesOn(node, 20)).toEqual(hashes);
});
