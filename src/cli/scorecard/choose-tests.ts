import {
  type ScorecardTest,
  findCustomTests,
  readTests,
  selectTests,
} from "../../olm/scorecard/test-list.ts";
import { diskTree, everythingBelow } from "../../scaffold/tree.ts";
import { isInside } from "../../shared/is-inside.ts";
import { findProjectRoot } from "../find-project-root.ts";

/** A bundle's folder, and the folder that it is in. */
export interface BundlePlace {
  readonly root: string;
  readonly folder: string;
}

export interface ChosenTests {
  readonly tests: readonly ScorecardTest[];
  /** The project whose bundle it is; undefined if it is of none. */
  readonly project: string | undefined;
}

/** The tests in the configuration of the bundle, and those of its project, as far as the selector selects them. */
export function chooseTests(
  { root, folder }: BundlePlace,
  {
    cwd,
    config,
    selector,
  }: { readonly cwd: string; readonly config: string | undefined; readonly selector: string },
): ChosenTests {
  const found = findProjectRoot(cwd);
  const project = found !== undefined && isInside(found, root) ? found : undefined;
  const all = [
    ...readTests(everythingBelow(root), folder, config),
    ...(project === undefined ? [] : findCustomTests(diskTree(project))),
  ];
  return { tests: all.filter(selectTests(selector)), project };
}
