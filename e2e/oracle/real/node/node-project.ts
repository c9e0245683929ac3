import { writeKind } from "./kind-stand-in.ts";
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { findPrograms, kubectlReleases } from "../../../support/kubectl-binaries.ts";
import { type CommandResult, run, type Shell } from "../../../support/shell.ts";
import { repository } from "../../../support/source-imports.ts";
import { type Engines, prepareEngines, startEngines } from "./engines.ts";
import { type InsideShell, insideShell } from "./inside-shell.ts";
import { prepareNode } from "./node-programs.ts";
import { type RealNode, startNode } from "./start-node.ts";

const cli = join(repository, "bin/tsbuilder.js");

/** A node with engines, and a user's project beside it. */
export interface NodeProject {
  readonly node: RealNode;
  readonly engines: Engines;
  readonly folder: string;
  /** Runs tsbuilder as on a machine without a cluster. */
  create(...words: string[]): Promise<CommandResult>;
  /** Runs commands where cluster, engines and registry are. */
  readonly inside: InsideShell;
  tsbuilder(...words: string[]): Promise<CommandResult>;
  tryTsbuilder(...words: string[]): Promise<CommandResult>;
  /** Returns the standard output; words with spaces go into `more`. */
  kubectl(words: string, ...more: string[]): Promise<string>;
  readonly helm: string;
}

export interface PreparedProject {
  readonly missing: string | undefined;
  /** The project's folder has the project's name; it lies in the sandbox's, and goes with it. */
  readonly start: (name: string, options?: { readonly nodes?: number }) => Promise<NodeProject>;
}

/** Installs and builds what journeys need; or says, in a test's output too, why they are left out. */
export function prepareNodeProject(what: string): PreparedProject {
  const programs = prepareNode();
  const clients = findPrograms(kubectlReleases.at(-1)!);
  const engines = "missing" in programs ? undefined : prepareEngines();
  const missing = "missing" in programs ? programs.missing : "missing" in clients ? clients.missing : engines;
  if (missing !== undefined) console.log(`left out: ${what}: ${missing}`);
  return {
    missing,
    async start(name, options) {
      if ("missing" in programs || "missing" in clients) throw new Error(missing);
      const node = await startNode(programs, options);
      const folder = join(node.folder, name);
      mkdirSync(folder);
      try {
        return await openProject(node, folder, clients);
      } catch (error) {
        await node.stop();
        throw error;
      }
    },
  };
}

async function openProject(
  node: RealNode,
  folder: string,
  { kubectl, helm }: { readonly kubectl: string; readonly helm: string },
): Promise<NodeProject> {
  const engines = await startEngines(node);
  writeKind(node);
  const path = `${join(node.folder, "bin")}:${dirname(kubectl)}:${process.env["PATH"]}`;
  const shell: Shell = { folder, env: { ...engines.env, PATH: path, KUBECONFIG: node.insideKubeconfig } };
  const inside = insideShell(node, shell);
  return {
    node,
    engines,
    folder,
    inside,
    helm,
    create: (...words) => run({ folder, env: {} }, process.execPath, cli, ...words),
    tsbuilder: (...words) => inside.run(process.execPath, cli, ...words),
    tryTsbuilder: (...words) => inside.tryRun(process.execPath, cli, ...words),
    kubectl: async (words, ...more) => (await inside.run("kubectl", ...words.split(" "), ...more)).stdout,
  };
}
