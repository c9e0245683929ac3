import { expect, test } from "vitest";
import { bookAddress } from "../../../src/shared/book-address.ts";
import { checkBook } from "../check-book.ts";

// `npm run book` comes before, with the same BOOK_BASE where the book is served elsewhere.
const base = process.env["BOOK_BASE"] ?? new URL(bookAddress).pathname;

test("every link of the built book leads somewhere, and its pages can be read in a browser and by the keyboard", async () => {
  expect(await checkBook(base)).toEqual([]);
});
