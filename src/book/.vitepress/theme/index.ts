import theme from "vitepress/theme-without-fonts";
// After the theme's own, which it overrides.
import "./style.css";

export default theme;
