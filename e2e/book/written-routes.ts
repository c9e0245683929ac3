import { join } from "node:path";
import { type Route, readPages, routesOf } from "../../src/book/build/pages.ts";
import { repository } from "../support/source-imports.ts";
import { readSteps, type Step } from "./read-steps.ts";

/** All routes through the written pages. */
export const routes: readonly Route[] = routesOf(readPages(join(repository, "src/book")));

/** The way through the pages of the CronJob tutorial, from the first to the last. */
export const tutorial = routes.find(({ name }) => name === "cronjob-tutorial")!;

/** The commands and files of a reader who follows the route. */
export function stepsOf({ pages }: Route): Step[] {
  return pages.flatMap(({ path, text }) => readSteps(path, text));
}
