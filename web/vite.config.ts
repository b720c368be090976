import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

// The content policy of the server allows neither inline code nor data: scripts, so nothing is inlined. Paths are
// relative, so that the UI works below the path of a proxy.
export default defineConfig({
  base: "./",
  plugins: [react()],
  build: {
    target: "es2023",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    license: { fileName: "assets/licenses.txt" },
  },
  server: {
    proxy: {
      "/api": {
        target: process.env["BLUESNAKE_SERVER"] ?? "http://127.0.0.1:8080",
        changeOrigin: true,
        configure: (proxy) => proxy.on("proxyReq", (request) => request.removeHeader("origin")),
      },
    },
  },
});
