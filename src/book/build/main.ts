import { bookAddress } from "../../shared/book-address.ts";
import { buildBook } from "./build-book.ts";
import { checkBook } from "./check-book.ts";

/** The path of the book on its host. */
const base = process.env["BOOK_BASE"] ?? new URL(bookAddress).pathname;

await buildBook();
if (process.argv.includes("--check")) {
  const problems = await checkBook(base);
  for (const problem of problems) console.error(problem);
  const count = problems.length === 1 ? "1 thing" : `${problems.length} things`;
  console.log(problems.length === 0 ? "nothing is wrong with the book" : `${count} to mend`);
  if (problems.length > 0) process.exitCode = 1;
}
