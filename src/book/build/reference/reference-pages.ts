import { alertsPage } from "./alerts-page.ts";
import { apiPages, readExports } from "./api-pages.ts";
import { classesPage } from "./classes-page.ts";
import { commandsPage } from "./commands-page.ts";
import { environmentPage, operatorFlagsPage } from "./environment-page.ts";
import { errorsPage } from "./errors-page.ts";
import { type Page, renderPage } from "./markdown.ts";
import { markersPage } from "./markers-page.ts";
import { metricsPage } from "./metrics-page.ts";
import { projectFilePage } from "./project-file-page.ts";

/** The pages that are made from the code: paths below `src/book`, each with its Markdown. */
export async function referencePages(symbols = readExports()): Promise<ReadonlyMap<string, string>> {
  const pages: Readonly<Record<string, Page>> = {
    commands: await commandsPage(),
    markers: markersPage(),
    "project-file": projectFilePage,
    errors: errorsPage,
    "operator-flags": operatorFlagsPage,
    metrics: metricsPage(),
    alerts: alertsPage(),
    environment: environmentPage,
    "simulation-classes": classesPage,
    ...apiPages(symbols),
  };
  return new Map(Object.entries(pages).map(([name, page]) => [`reference/${name}.md`, renderPage(page)]));
}
