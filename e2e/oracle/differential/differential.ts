import { parseArgs } from "node:util";
import { findBinaries } from "../real/control-plane-binaries.ts";
import { keep } from "./keep.ts";
import { partialStories } from "./partial-objects.ts";
import { randomStories } from "./random-stories.ts";
import { reportText } from "./report-text.ts";
import { runStories, runTables } from "./run.ts";
import { readSamples } from "./samples.ts";
import { startServers } from "./servers.ts";

/** Sends random requests to a real server and to the embedded one, and lists what differs. See README.md. */
const { values } = parseArgs({
  options: {
    seed: { type: "string" },
    requests: { type: "string", default: "1000" },
    kind: { type: "string" },
    keep: { type: "string", multiple: true, default: [] },
    tables: { type: "boolean", default: false },
  },
});
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
const binaries = findBinaries();
if ("missing" in binaries) throw new Error(binaries.missing);
const servers = await startServers(binaries.folder);
try {
  const wanted = { seed, requests: Number(values.requests), ...(values.kind && { kind: values.kind }) };
  const report = values.tables
    ? await runTables(servers, await partialStories(await readSamples(), values.kind))
    : await runStories(servers, await randomStories(servers.real.kubeconfig, wanted));
  console.log(reportText(report));
  console.log(`seed ${seed}; ${servers.unforeseen.length} errors that the embedded server did not foresee`);
  for (const error of servers.unforeseen) console.log(error);
  if (servers.unforeseen.length > 0) process.exitCode = 1;
  for (const found of report.classes.filter(({ name }) => values.keep.includes(name)))
    console.log(`kept: ${JSON.stringify(await keep(servers, found))}`);
  const names = report.classes.map(({ name }) => name);
  for (const name of values.keep.filter((each) => !names.includes(each))) {
    console.error(`not kept: no class of differences is called "${name}"`);
    process.exitCode = 1;
  }
} finally {
  await servers.stop();
}
