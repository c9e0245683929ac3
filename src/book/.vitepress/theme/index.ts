import theme from "vitepress/theme-without-fonts";
// After the theme's own, which it overrides.
import "./style.css";

/** Copies only the commands of a console, without their prompts and without what they print. */
function copyCommands(event: Event): void {
  const button = (event.target as Element).closest(".language-console > button.copy");
  const code = button?.parentElement?.querySelector("code")?.textContent ?? "";
  const commands = code.split("\n").flatMap((line) => (line.startsWith("$ ") ? [line.slice(2)] : []));
  if (!button || commands.length === 0) return;
  event.stopPropagation();
  // A browser may refuse, as in a frame: then the button does not say that it has copied.
  void navigator.clipboard.writeText(commands.join("\n")).then(
    () => {
      button.classList.add("copied");
      setTimeout(() => button.classList.remove("copied"), 2000);
    },
    () => undefined,
  );
}

export default {
  ...theme,
  enhanceApp: () => {
    // The pages are rendered in Node first, which has no document.
    if (typeof document !== "undefined") document.addEventListener("click", copyCommands, { capture: true });
  },
};
