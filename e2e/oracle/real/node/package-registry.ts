import { execFileSync } from "node:child_process";
import { join } from "node:path";

/** The machine's npm registry: builds of images install from it. */
export const packageRegistry = readRegistry();

/** Where a relay inside of a sandbox meets the one outside. */
export function packageRegistrySocket(folder: string): string {
  return join(folder, "packages.sock");
}

function readRegistry(): { readonly url: string; readonly host: string; readonly port: number } {
  const url = execFileSync("npm", ["config", "get", "registry"], { encoding: "utf8" }).trim();
  const { hostname, port, protocol } = new URL(url);
  return { url, host: hostname, port: Number(port) || (protocol === "https:" ? 443 : 80) };
}
