import { join } from "node:path";
import { watchableBundle } from "../../ship/bundle.ts";
import { configManifests } from "../config/manifests.ts";
import { stepsOfProject } from "../reload/reloader.ts";
import { projectSources } from "../reload/watch-sources.ts";
import type { SessionProgram } from "../session.ts";
import { type SessionOperatorOptions, sessionOperator } from "./session-operator.ts";

interface ProjectProgramOptions extends Pick<SessionOperatorOptions, "root" | "inspect" | "args"> {
  /** Regenerates from the sources, and returns the files that it wrote; throws the errors in the sources. */
  readonly generate: SessionProgram["generate"];
}

/** The program of a project in TypeScript: a bundle, which a prepared process of Node loads. `folder` is that of the session. */
export async function projectProgram(
  { generate, ...options }: ProjectProgramOptions,
  folder: string,
): Promise<SessionProgram> {
  const { root } = options;
  const file = join(folder, "operator.mjs");
  const bundle = await watchableBundle(root, file);
  return {
    sources: projectSources,
    neededBy: stepsOfProject,
    hasMovableClock: true,
    generate,
    build: () => bundle.rebuild(),
    manifests: () => configManifests(root),
    prepare: ({ cluster, place, record, report }) =>
      sessionOperator({ ...options, file, record }, cluster, place, report),
    close: () => bundle.close(),
  };
}
