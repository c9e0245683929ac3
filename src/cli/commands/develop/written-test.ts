import { type Recording, parseRecording } from "../../../dev/record/read-recording.ts";
import { type WrittenTestOptions, writtenTest } from "../../../dev/written-test/written-test.ts";
import { type Project, hasWebhooks, importPath, qualifiedGroup } from "../../../project/project.ts";
import { Draft, type FileChange, type Tree } from "../../../scaffold/tree.ts";
import { fileHeader, typesModule } from "../../../plugins/typescript/create-api.ts";
import type { ProjectFacts, SetupFacts } from "../../../dev/written-test/project-facts.ts";
import { TsbuilderError } from "../../../shared/errors.ts";
import { readHeader } from "../../../plugins/plan-project.ts";
import type { RecentRecord } from "../../../dev/record/recent-record.ts";
import { applyPlan } from "../../../scaffold/apply.ts";
import { withProjectLock } from "../../project/lock-project.ts";
import type { OpenProject } from "../../project/open-project.ts";

/** The project that gets a test. */
interface TestedProject {
  readonly tree: Tree;
  readonly project: Project;
}

/** Plans a test of a recorded session, in a file of the project. Throws if the entry point starts no controller. */
export function planWrittenTest(
  { tree, project }: TestedProject,
  recording: Recording,
  { path, ...options }: WrittenTestOptions & { readonly path: string },
): { readonly changes: readonly FileChange[]; readonly notes: readonly string[] } {
  const { text, notes } = writtenTest(recording, writtenTestFacts(project, tree, path), options);
  const draft = new Draft(tree);
  draft.write(path, text);
  return { changes: draft.changes(), notes };
}

const entryPoint = "src/main.ts";

/** Collects the facts about a project that a test in one of its files needs. */
function writtenTestFacts(project: Project, tree: Tree, file: string): ProjectFacts {
  const setups = findSetups(tree.read(entryPoint) ?? "", file);
  if (setups.length === 0) {
    throw new TsbuilderError(`"${entryPoint}" calls no setup function of a controller`, {
      code: "INVALID_PROJECT",
      hint: "a test is written for what it registers: create a controller with tsbuilder create api",
    });
  }
  return {
    header: fileHeader(readHeader(tree) ?? ""),
    kinds: project.resources
      .filter(({ origin }) => origin.type !== "core")
      .map((resource) => ({
        apiVersion: `${qualifiedGroup(resource)}/${resource.version}`,
        kind: resource.kind,
        module: typesModule(project, resource, file),
        isOwn: resource.origin.type === "own",
      })),
    setups,
    hasWebhooks: project.resources.some(hasWebhooks),
  };
}

/** Finds the setup functions of controllers that the entry point imports and calls, as `create api` inserts them. */
function findSetups(text: string, file: string): SetupFacts[] {
  return [...text.matchAll(/^import \{ (setup\w+Controller)(?: as (\w+))? \} from "\.\/([^"]+)";$/gmu)]
    .map(([, name = "", local = name, path = ""]) => ({
      name,
      local,
      module: importPath(file, `src/${path}`),
    }))
    .filter(({ local }) => text.includes(`\n${local}(manager);`));
}

/** Writes the session that the page of dev shows as a test, to a new file of the project. */
export async function writeRecordedTest({ root, tree, project }: OpenProject, record: RecentRecord) {
  const recording = parseRecording(record.text(), "the session");
  return withProjectLock(root, { name: "dev", note: () => undefined }, async () => {
    const path = findFreePath(tree);
    const { changes, notes } = planWrittenTest({ tree, project }, recording, {
      path,
      until: Date.now(),
    });
    applyPlan(root, changes);
    return { path, notes };
  });
}

function findFreePath(tree: Tree): string {
  for (let number = 1; ; number++) {
    const path = `src/controller/recorded${number === 1 ? "" : `-${number}`}.test.ts`;
    if (!tree.has(path)) return path;
  }
}
