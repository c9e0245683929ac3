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
  { path, ...options }: WrittenTestOptions & { readonly path: string },
): { readonly changes: readonly FileChange[]; readonly notes: readonly string[] } {
  const { text, notes } = writtenTest(recording, writtenTestFacts(project, tree, path), options);
  const draft = new Draft(tree);
  draft.write(path, formatted(root, path, text));
  return { changes: draft.changes(), notes: [...notes] };
}

/** As a new file is, whether or not it is one. */
function formatted(root: string, path: string, text: string): string {
  const draft = new Draft(memoryTree());
  draft.write(path, text);
  formatCreated(root, draft);
  return draft.read(path)!;
}
