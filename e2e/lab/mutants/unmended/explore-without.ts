import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import type { MistakeClass } from "@tsbuilder/simulation";
import { repository } from "../../../support/source-imports.ts";
import type { Unmended } from "./unmended.ts";

/** The findings of an exploration. */
export interface Found {
  readonly class: MistakeClass | "nothing";
  readonly message?: string;
  readonly seed?: number;
}

/** Explores a scenario in a process of its own, without some mends. */
export async function exploreWithout(
  edits: Unmended["edits"],
  scenario: Unmended["scenario"],
  seeds: number,
): Promise<Found> {
  const program = join(import.meta.dirname, "explore-one.ts");
  const imports = ["tsx", join(import.meta.dirname, "take-out.ts")].flatMap((name) => ["--import", name]);
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--conditions=@tsbuilder/source", ...imports, program, scenario, String(seeds)],
    { cwd: repository, env: { ...process.env, TSBUILDER_UNMENDED: JSON.stringify(edits) } },
  );
  return JSON.parse(stdout) as Found;
}
