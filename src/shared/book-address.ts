/** The address of the book. Links in messages and READMEs begin with it; `npm run book -- --check` follows them. */
export const bookAddress = "https://tsbuilder.dev/book/";
