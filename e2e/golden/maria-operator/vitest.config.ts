import { defineConfig, type Plugin } from "vitest/config";

/** Imports scripts and configuration files as text, like `tsbuilder build`. */
const textFiles: Plugin = {
  name: "text-files",
  enforce: "pre",
  transform: (text, id) =>
    /\.(?:sh|sql|cnf)$/.test(id) ? `export default ${JSON.stringify(text)};` : undefined,
};

export default defineConfig({
  plugins: [textFiles],
  test: {
    include: ["{api,src}/**/*.test.ts"],
    // Starting a cluster takes a moment on a busy machine.
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
