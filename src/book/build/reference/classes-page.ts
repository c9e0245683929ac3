import { bookAddress } from "../../../shared/book-address.ts";
import { advice, docs } from "../../../simulation/explore/advice.ts";
import { sentence } from "../../../shared/text.ts";
import { code, type Page } from "./markdown.ts";

/** The classes of mistakes that the simulation finds. */
export const classesPage: Page = {
  title: "Classes of simulated failures",
  order: 9,
  body: [
    `The simulation names each failure by its class, after what is left once the story has been made as short as it gets. What a class means stands below, and in ${code("failure.story")}.`,
    ...Object.entries(advice).flatMap(([name, text]) => [
      `## ${name}`,
      sentence(text),
      `[More about it](${pageOf(docs[name as keyof typeof docs])}).`,
    ]),
  ],
};

/** The page behind a link to the published book, as a page of the reference links to it. */
function pageOf(link: string): string {
  return link.replace(bookAddress, "../").replace(/\.html(?=#|$)/u, ".md");
}
