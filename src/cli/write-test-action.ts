import { parseRecording } from "../dev/record/read-recording.ts";
import type { RecentRecord } from "../dev/record/recent-record.ts";
import type { PageAction } from "../dev/page/page-action.ts";
import { applyPlan } from "../scaffold/apply.ts";
import type { Tree } from "../scaffold/tree.ts";
import { withProjectLock } from "./lock-project.ts";
import type { OpenProject } from "./open-project.ts";

/** Writes what the page shows as a test into the project, in a file that is not there yet. */
export function writeTestAction(open: () => OpenProject, record: RecentRecord): PageAction {
  return async () => {
    // Not needed to start dev.
    const { planWrittenTest } = await import("./plan-written-test.ts");
    const { root, tree, project } = open();
    const recording = parseRecording(record.text(), "the session");
    return withProjectLock(root, { name: "dev", note: () => undefined }, async () => {
      const path = freePath(tree);
      const { changes, notes } = planWrittenTest({ root, tree, project }, recording, {
        path,
        until: Date.now(),
        isShown: false,
      });
      applyPlan(root, changes);
      return { path, notes };
    });
  };
}

function freePath(tree: Tree): string {
  for (let number = 1; ; number++) {
    const path = `src/controller/recorded${number === 1 ? "" : `-${number}`}.test.ts`;
    if (!tree.has(path)) return path;
  }
}
