/** Mutants that no test can notice, by their ids, and why. */
export const survivors: Readonly<Record<string, string>> = {
  "933213bf0c": "requests and attempts are numbered together, so that no two have the same number",
  a5fdfffd5a: "Node has destroyed a socket that can't connect by itself",
  "1dce6e5622": "whether a text of 80 characters is shared or kept twice shows in memory alone",
  "1871b00a2a": "a uid that is remembered for longer takes up memory, and says nothing of another object",
};
