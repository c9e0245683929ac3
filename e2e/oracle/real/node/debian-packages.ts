import { execFileSync, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

/** Installs the packages whose programs are missing, by apt; returns why that can't be done. */
export function installPackages(programs: Readonly<Record<string, string>>): string | undefined {
  const missing = Object.entries(programs)
    .filter(([program]) => !isThere(program))
    .map(([, name]) => name);
  if (missing.length === 0) return undefined;
  const options = { stdio: "pipe", env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" } } as const;
  try {
    execFileSync("apt-get", ["update"], options);
    execFileSync("apt-get", ["install", "--yes", "--no-install-recommends", ...missing], options);
    return undefined;
  } catch (error) {
    return `${missing.join(", ")} can't be installed: ${(error as Error).message.trim().split("\n").at(-1)}`;
  }
}

function isThere(program: string): boolean {
  return program.startsWith("/")
    ? existsSync(program)
    : spawnSync("sh", ["-c", `command -v ${program}`]).status === 0;
}
