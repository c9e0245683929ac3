/** Mutants that no test can notice, by their ids, and why. */
export const survivors: Readonly<Record<string, string>> = {
  "05dfa70b30": "requests and attempts are numbered together, so that no two have the same number",
  "05b8ccdb37": "Node has destroyed a socket that can't connect by itself",
  "0714010a74": "whether a text of 80 characters is shared or kept twice shows in memory alone",
  c20d227766: "a uid that is remembered for longer takes up memory, and says nothing of another object",
  "27b6738939": "the same",
};
