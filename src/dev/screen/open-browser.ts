import { spawn } from "node:child_process";

/** Opens an address in the user's browser, which `BROWSER` may name; whether a program took it. */
export function openBrowser(address: string): Promise<boolean> {
  const [program, ...args] = opener(address);
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: "ignore", detached: true });
    child.once("error", () => resolve(false));
    child.once("exit", (code) => resolve(code === 0));
    // A browser that stays has taken it.
    child.once("spawn", () => setTimeout(() => resolve(true), 2000).unref());
    child.unref();
  });
}

function opener(address: string): [string, ...string[]] {
  const { BROWSER } = process.env;
  const [program, ...flags] = (BROWSER ?? "").split(/\s+/u).filter(Boolean);
  if (program !== undefined) return [program, ...flags, address];
  if (process.platform === "darwin") return ["open", address];
  if (process.platform === "win32") return ["cmd", "/c", "start", "", address];
  return ["xdg-open", address];
}
