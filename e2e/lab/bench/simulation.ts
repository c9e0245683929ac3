/**
 * Disturbed runs of the AppService operator, as its scaffolded test makes them, on two cores: processor time of each, with the
 * undisturbed runs that it is compared with, and how long a thousand take. Beside them, one run of such steps on a real control plane.
 * Run: node --conditions=@tsbuilder/source --import tsx e2e/lab/bench/run.ts simulation
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { loadavg } from "node:os";
import { join } from "node:path";
import { loadObjects } from "@tsbuilder/cluster/testing";
import type { KubernetesObject } from "@tsbuilder/runtime";
import { explore, operationsFor, Random } from "@tsbuilder/simulation";
import { exploringHeap } from "../../../src/cli/commands/develop/test.ts";
import { projectScenario } from "../../../src/simulation/project-scenario.ts";
import { AppService } from "../../golden/app-operator/api/v1/appservice_types.ts";
import { setupAppServiceController as setup } from "../../golden/app-operator/src/controller/appservice_controller.ts";
import { repository } from "../../support/source-imports.ts";
import { runOnReal } from "./simulation-real.ts";

const runs = Number(process.env["RUNS"] ?? 1000);
const processes = 2;
const folder = join(repository, "e2e/golden/app-operator");

type Crd = Parameters<typeof operationsFor>[0] & KubernetesObject;

/** The costs of one process for its share. */
interface Share {
  readonly runs: number;
  readonly milliseconds: number;
  readonly processor: number;
  readonly story: string | undefined;
}

const from = process.argv[2];
if (from === undefined) await measure();
else process.send!(await exploreShare(Number(from)));

async function measure(): Promise<void> {
  const each = Math.ceil(runs / processes);
  const children = Array.from({ length: processes }, (_, index) =>
    // Seeds of one plan stay together: they share its undisturbed runs.
    fork(import.meta.filename, [String(12 + index * Math.ceil(each / 4) * 4)], {
      execArgv: [...process.execArgv, exploringHeap],
    }),
  );
  const shares = await Promise.all(children.map(shareOf));
  const all = shares.reduce((sum, share) => sum + share.runs, 0);
  const seconds = Math.max(...shares.map(({ milliseconds }) => milliseconds)) / 1000;
  const processor = shares.reduce((sum, share) => sum + share.processor, 0) / all;
  console.log(
    `${all} disturbed runs in ${processes} processes: ${seconds.toFixed(1)} s, ${((seconds / all) * 1000).toFixed(1)} s for 1,000 runs; ` +
      `${processor.toFixed(0)} ms of processor time each; Node ${process.version}, load ${loadavg()[0]!.toFixed(1)}`,
  );
  for (const { story } of shares) if (story !== undefined) throw new Error(story);
  const crds = (await loadObjects([join(folder, "config/crd/bases")])) as unknown as Crd[];
  const crd = crds.find(({ metadata }) => metadata.name?.startsWith("appservices."))!;
  const scenario = (await projectScenario({ kind: AppService, setup, folder })).make(new Random(1), 1);
  await runOnReal(scenario, crd, operationsFor(crd)(new Random(1)));
}

async function shareOf(child: ChildProcess): Promise<Share> {
  const [share] = (await once(child, "message")) as [Share];
  return share;
}

async function exploreShare(first: number): Promise<Share> {
  const { make } = await projectScenario({ kind: AppService, setup, folder });
  await explore(make, { seeds: 12, from: 0 });
  const [start, processor] = [performance.now(), process.cpuUsage()];
  const { runs: made, failure } = await explore(make, {
    seeds: Math.ceil(runs / processes),
    from: first,
  });
  const { user, system } = process.cpuUsage(processor);
  return {
    runs: made,
    milliseconds: performance.now() - start,
    processor: (user + system) / 1000,
    story: failure?.story,
  };
}
