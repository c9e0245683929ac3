import { join } from "node:path";
import { type Page, readPages } from "../../src/book/build/pages.ts";
import { repository } from "../support/source-imports.ts";
import { readSteps, type Step } from "./read-steps.ts";

/** Pages that a reader follows from the first to the last, in one folder. */
export interface Route {
  /** The name of the section, or of a page without one. */
  readonly name: string;
  /** `empty`, or the golden project that the reader starts with. */
  readonly follow: string;
  readonly pages: readonly Page[];
}

/** All routes through the written pages. */
export const routes: readonly Route[] = routesOf(readPages(join(repository, "src/book")));

/** The way through the pages of the CronJob tutorial, from the first to the last. */
export const tutorial = routes.find(({ name }) => name === "cronjob-tutorial")!;

/** The commands and files of a reader who follows the route. */
export function stepsOf({ pages }: Route): Step[] {
  return pages.flatMap(({ path, text }) => readSteps(path, text));
}

/** Returns the routes through the book: the pages of a section with the same `follow`, and each page without a section. */
export function routesOf(pages: readonly Page[]): Route[] {
  const routes = new Map<string, Route>();
  for (const page of pages) {
    const { follow } = page;
    if (follow === undefined) continue;
    const name = page.section || page.path.replace(/\.md$/, "");
    const key = `${name} ${follow}`;
    routes.set(key, { name, follow, pages: [...(routes.get(key)?.pages ?? []), page] });
  }
  return [...routes.values()];
}
