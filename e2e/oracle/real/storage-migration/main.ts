// npm run lab -- migration [--objects 100000] [--rate 2000] [--kill-every 10]: objects that are stored again on kube-apiserver
// while ten writers write and the operator is killed, beside a loop of kubectl.

import { execFileSync } from "node:child_process";
import { parseArgs } from "node:util";
import { findPrograms } from "../../../support/kubectl-binaries.ts";
import { findBinaries } from "../control-plane-binaries.ts";
import { type ControlPlane, startControlPlane } from "../control-plane.ts";
import { migrateUnderLoad } from "./migrate-under-load.ts";

const { values } = parseArgs({
  options: {
    objects: { type: "string", default: "100000" },
    rate: { type: "string", default: "2000" },
    "kill-every": { type: "string", default: "10" },
  },
});
const binaries = findBinaries();
if ("missing" in binaries) throw new Error(binaries.missing);
const plane = await startControlPlane(binaries.folder);
try {
  const objects = Number(values.objects);
  const load = {
    objects,
    objectsPerSecond: Number(values.rate),
    killEvery: Number(values["kill-every"]) * 1000,
  };
  const { seconds, kills, writes, wrong, left, storedVersions } = await migrateUnderLoad(plane, load);
  console.log(`${objects} objects in ${seconds.toFixed(0)} s, ${(objects / seconds).toFixed(0)} a second`);
  console.log(`${kills} kills, ${writes} writes of others, stored versions ${storedVersions?.join()}`);
  console.log(`${wrong.length} objects are wrong, ${left.length} are stored in another version`);
  for (const problem of [...wrong, ...left].slice(0, 20)) console.error(problem);
  console.log(`a loop of kubectl: ${loopOfKubectl(plane).toFixed(0)} a second, without writers and kills`);
  if (wrong.length + left.length > 0 || storedVersions?.join() !== "v2") process.exitCode = 1;
} finally {
  await plane.stop();
}

/** Patches a hundred objects one after another, as scripts do, and returns how many a second. */
function loopOfKubectl({ kubeconfig }: ControlPlane): number {
  const programs = findPrograms("36");
  if ("missing" in programs) throw new Error(programs.missing);
  const kubectl = (...args: string[]): string =>
    execFileSync(programs.kubectl, ["--kubeconfig", kubeconfig, ...args], {
      encoding: "utf8",
      maxBuffer: 2 ** 30,
    });
  const names = kubectl("get", "widgets", "--output", "name").trim().split("\n").slice(0, 100);
  const begun = performance.now();
  for (const name of names) kubectl("patch", name, "--type", "merge", "--patch", "{}");
  return names.length / ((performance.now() - begun) / 1000);
}
