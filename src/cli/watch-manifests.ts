import { readFileSync } from "node:fs";
import { join } from "node:path";
import { watchSources } from "../dev/watch-sources.ts";
import type { Plan } from "../scaffold/file-change.ts";
import { describeError } from "./report.ts";
import type { Ui } from "./ui.ts";
import { endAsked } from "./wait-for-end.ts";

/** What is watched, and what is done with each plan. */
interface ManifestsWatch {
  readonly root: string;
  readonly ui: Ui;
  /** Throws what is wrong with the sources. */
  readonly plan: () => Promise<Plan>;
  readonly carryOut: (plan: Plan) => void;
  /** Plans and writes while nobody else does. */
  readonly locked: (work: () => Promise<void>) => Promise<void>;
}

/** Generates now and after each edit, until the process is asked to end. Errors are told, and end nothing. */
export async function watchManifests({ root, ui, plan, carryOut, locked }: ManifestsWatch): Promise<void> {
  let said = "";
  let hasFailed = false;
  const generate = async (): Promise<void> => {
    try {
      let warnings = "";
      await locked(async () => {
        const { changes, notes } = await plan();
        warnings = notes.join("\n");
        // What is written into config/ is seen as an edit, too: it changes nothing, and must not be told again.
        carryOut({ changes, notes: warnings === said ? [] : notes });
      });
      if (hasFailed) ui.note("The sources are in order again.");
      [said, hasFailed] = [warnings, false];
    } catch (error) {
      const text = describeError(error, (file) => readFileSync(join(root, file), "utf8"));
      if (text !== said) ui.note(text);
      [said, hasFailed] = [text, true];
    }
  };
  const ended = endAsked();
  let work = Promise.resolve();
  // An edit during the first run must not be missed.
  const sources = watchSources(root, () => {
    work = work.then(generate);
  });
  work = work.then(generate).then(() => ui.note("Watching api/, src/ and config/; Ctrl+C ends it."));
  await ended;
  sources.close();
  await work;
}
