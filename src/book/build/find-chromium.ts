import { existsSync } from "node:fs";

/** The program of a Chromium, or why there is none. */
export type FoundChromium =
  | { readonly program: string }
  | { readonly missing: string; readonly isChosen: boolean };

/** The Chromium that `CHROMIUM` names; by default, the one that Debian installs. */
export function findChromium(chosen = process.env["CHROMIUM"]): FoundChromium {
  const program = chosen ?? "/usr/bin/chromium";
  if (existsSync(program)) return { program };
  return chosen === undefined
    ? {
        missing: `there is no ${program}: apt-get install chromium, or set CHROMIUM to its path`,
        isChosen: false,
      }
    : {
        missing: `CHROMIUM is ${chosen}, which does not exist: set it to the path of a Chromium`,
        isChosen: true,
      };
}
