import { expect, test } from "vitest";
import { bookAddress } from "../../../src/shared/book-address.ts";
import { checkBook } from "../../../src/book/build/check-book.ts";

// `npm run book` comes before.
test("every link of the built book leads somewhere, and its pages can be read in a browser and by the keyboard", async () => {
  expect(await checkBook(new URL(bookAddress).pathname)).toEqual([]);
});
