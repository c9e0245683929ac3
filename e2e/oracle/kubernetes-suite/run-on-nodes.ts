import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { startCluster } from "@tsbuilder/cluster";
import { isUnforeseen } from "../../support/unforeseen-errors.ts";
import { apiPort, nodeAddress } from "../real/node/addresses.ts";
import { prepareNode } from "../real/node/node-programs.ts";
import { type Program, focusOn, runSuite } from "./run-specs.ts";
import { prepareSuiteImages } from "./suite-images.ts";
import type { Verdict } from "./verdicts.ts";

/** A cluster whose nodes run the suite's pods. */
export interface NodesCluster {
  /** For programs in the network of the nodes. */
  readonly kubeconfig: string;
  /** The words before a command that runs there. */
  readonly enter: readonly string[];
  readonly stop: () => Promise<void>;
}

/** Starts the embedded cluster as users do, with nodes that have the suite's images; or says why that can't be done. */
export async function startNodesCluster(
  count: number,
  options: { readonly build?: boolean } = {},
): Promise<NodesCluster | { readonly missing: string }> {
  const programs = prepareNode("embedded");
  if ("missing" in programs) return programs;
  const images = prepareSuiteImages(options);
  if ("missing" in images) return images;
  const cluster = await startCluster({
    nodes: { count, programs: programs.node },
    onError(error) {
      if (isUnforeseen(error)) console.error(error);
    },
  });
  const { enter, folder, load } = cluster.nodes!;
  for (const image of images) await load(image);
  const kubeconfig = join(folder, "suite.kubeconfig");
  const admin = structuredClone(cluster.kubeconfig);
  admin.clusters[0].cluster.server = `https://${nodeAddress}:${apiPort}`;
  writeFileSync(kubeconfig, JSON.stringify(admin), { mode: 0o600 });
  return { kubeconfig, enter, stop: () => cluster.stop() };
}

/** How many specs a process of the suite runs: what has run is kept when a later one stalls. */
const batchSize = 5;

/** Runs specs on a cluster, at last those that bear no others beside them. `tell` gets the verdicts as they come. */
export async function runOnNodes(
  program: Program,
  { kubeconfig, enter }: NodesCluster,
  specs: readonly string[],
  { shares, output, tell }: NodesRun,
): Promise<void> {
  const isAlone = (spec: string): boolean => spec.includes("[Serial]");
  await runAll(
    specs.filter((spec) => !isAlone(spec)),
    shares,
  );
  await runAll(specs.filter(isAlone), 1);

  async function runAll(all: readonly string[], workers: number): Promise<void> {
    const size = Math.min(batchSize, Math.ceil(all.length / workers));
    const rest = [...all];
    const work = async (): Promise<void> => {
      for (let batch = rest.splice(0, size); batch.length > 0; batch = rest.splice(0, size)) {
        const args = [`--kubeconfig=${kubeconfig}`, "--allowed-not-ready-nodes=1", focusOn(batch)];
        // A batch that ends without a report, such as one that was killed, leaves the others alone.
        tell(await runSuite(program, args, { output, enter }).catch(() => []));
      }
    };
    await Promise.all(Array.from({ length: workers }, work));
  }
}

interface NodesRun {
  /** How many specs run side by side. */
  readonly shares: number;
  readonly output: "inherit" | "ignore";
  readonly tell: (verdicts: readonly Verdict[]) => void;
}
