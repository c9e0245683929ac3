import type { Recording } from "../dev/record/read-recording.ts";
import { writtenTest, type WrittenTestOptions } from "../dev/written-test/written-test.ts";
import type { Project } from "../project/project.ts";
import type { FileChange } from "../scaffold/file-change.ts";
import { Draft, memoryTree, type Tree } from "../scaffold/tree.ts";
import { formatCreated } from "./format-created.ts";
import { writtenTestFacts } from "./written-test-facts.ts";

/** The project that gets a test. */
interface TestedProject {
  readonly root: string;
  readonly tree: Tree;
  readonly project: Project;
}

/** Plans a test of a recorded session, in a file of the project. */
export function planWrittenTest(
  { root, tree, project }: TestedProject,
  recording: Recording,
  { path, isShown, ...options }: WrittenTestOptions & { readonly path: string; readonly isShown: boolean },
): { readonly changes: readonly FileChange[]; readonly notes: readonly string[] } {
  const { text, notes } = writtenTest(recording, writtenTestFacts(project, tree, path), options);
  const draft = new Draft(tree);
  const formatted = format(root, path, text, isShown);
  draft.write(path, formatted.text);
  return { changes: draft.changes(), notes: [...notes, ...formatted.notes] };
}

/** As a new file is, whether or not it is one. */
function format(root: string, path: string, text: string, isShown: boolean) {
  const draft = new Draft(memoryTree());
  draft.write(path, text);
  const notes = formatCreated(root, draft, { isShown });
  return { text: draft.read(path)!, notes };
}
