// Asks for the token of the server and exchanges it for a cookie that scripts cannot read.
import { useState, type FormEvent } from "react";
import { access, api, ask, Problem, queries } from "../api/client";
import { Icon } from "../parts/basics";
import { Logo } from "../shell";

export function SignIn() {
  const [token, setToken] = useState("");
  const [problem, setProblem] = useState("");
  const send = async (event: FormEvent) => {
    event.preventDefault();
    if (!token.trim()) return setProblem("Enter the token of this server");
    try {
      await ask(api.POST("/api/v1/session", { headers: { Authorization: `Bearer ${token.trim()}` } }));
      access.set(false);
      await queries.invalidateQueries();
    } catch (error) {
      setProblem(error instanceof Problem && error.code === "wrong_token" ? "Wrong token" : (error as Error).message);
    }
  };
  return (
    <main className="signin">
      <form className="card" onSubmit={(event) => void send(event)}>
        <div className="logo">
          <Logo />
          <span>bluesnake</span>
        </div>
        <h1>This server requires a token</h1>
        <p className="t2">It was printed when the server was started with --generate-token, or chosen with --token-file or BLUESNAKE_TOKEN.</p>
        <label className="search">
          <Icon name="terminal" small />
          <input type="password" autoFocus autoComplete="current-password" aria-label="Token" placeholder="Token" value={token} onChange={(event) => setToken(event.target.value)} />
        </label>
        {problem && (
          <p className="up" role="alert">
            {problem}
          </p>
        )}
        <button type="submit" className="btn primary">
          Sign in
        </button>
      </form>
    </main>
  );
}
