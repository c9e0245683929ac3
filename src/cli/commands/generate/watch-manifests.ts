import { watchSources } from "../../../dev/reload/watch-sources.ts";
import type { Plan, Tree } from "../../../scaffold/tree.ts";
import { describeError } from "../../reporting/report.ts";
import type { Ui } from "../../reporting/ui.ts";
import { stopSignal } from "../../reporting/stop-signal.ts";

/** The project to watch, and how its plans are made and applied. */
interface ManifestsWatch {
  readonly root: string;
  readonly tree: Tree;
  readonly ui: Ui;
  /** Throws if the sources have errors. */
  readonly plan: () => Promise<Plan>;
  readonly applyOrShow: (plan: Plan) => void;
  /** Runs work while holding the project's lock. */
  readonly locked: (work: () => Promise<void>) => Promise<void>;
}

/** Generates now and after each edit, until the process is stopped. Errors are printed and do not end it. */
export async function watchManifests({
  root,
  tree,
  ui,
  plan,
  applyOrShow,
  locked,
}: ManifestsWatch): Promise<void> {
  let said = "";
  let hasFailed = false;
  const generate = async (): Promise<void> => {
    try {
      let warnings = "";
      await locked(async () => {
        const { changes, notes } = await plan();
        warnings = notes.join("\n");
        // Writing to config/ triggers another run, which changes nothing and must not repeat the warnings.
        applyOrShow({ changes, notes: warnings === said ? [] : notes });
      });
      if (hasFailed) ui.note("The sources have no errors any more.");
      [said, hasFailed] = [warnings, false];
    } catch (error) {
      const text = describeError(error, (file) => tree.read(file));
      if (text !== said) ui.note(text);
      [said, hasFailed] = [text, true];
    }
  };
  const ended = stopSignal();
  let work = Promise.resolve();
  // Starts before the first run, so that no edit during it is missed.
  const sources = watchSources(root, () => {
    work = work.then(generate);
  });
  work = work.then(generate).then(() => ui.note("Watching api/, src/ and config/; press Ctrl+C to stop."));
  await ended;
  sources.close();
  await work;
}
