import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const script = fileURLToPath(new URL("hash-traces.ts", import.meta.url));

/** The hashes of the traces of so many seeds, from a process of its own of the given Node. */
export async function hashesOn(node: string, seeds: number): Promise<readonly string[]> {
  const args = ["--conditions=@tsbuilder/source", "--import", "tsx", script, String(seeds)];
  return (await promisify(execFile)(node, args)).stdout.trim().split("\n");
}
