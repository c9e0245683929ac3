import { commandsPage } from "./commands-page.ts";
import { errorsPage } from "./errors-page.ts";
import { markersPage } from "./markers-page.ts";
import { type Page, renderPage } from "./markdown.ts";
import { projectFilePage } from "./project-file-page.ts";

/** The pages that are made from the code: paths below `src/book`, each with its Markdown. */
export async function referencePages(): Promise<ReadonlyMap<string, string>> {
  const pages: Readonly<Record<string, Page>> = {
    commands: await commandsPage(),
    markers: markersPage(),
    "project-file": projectFilePage,
    errors: errorsPage,
  };
  return new Map(Object.entries(pages).map(([name, page]) => [`reference/${name}.md`, renderPage(page)]));
}
