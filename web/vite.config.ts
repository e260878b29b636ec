import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

export default defineConfig({
  plugins: [react()],
  build: { outDir: "dist", emptyOutDir: true, target: "baseline-widely-available", manifest: true, sourcemap: false },
  server: { proxy: { "/api": "http://127.0.0.1:8080", "/media": "http://127.0.0.1:8080", "/datalake": "http://127.0.0.1:8080", "/keys": "http://127.0.0.1:8080", "/config.json": "http://127.0.0.1:8080", "/sync": { target: "ws://127.0.0.1:8080", ws: true } } },
});
