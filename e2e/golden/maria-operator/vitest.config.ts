import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["{api,src}/**/*.test.ts"],
    // Starting a cluster takes a moment on a busy machine.
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
