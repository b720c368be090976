//! Requests that start a job: the app's own types, limited to what is allowed over the network.

use std::borrow::Cow;

use axum::extract::{FromRequest, Request as HttpRequest};
use bluesnake_app::{AuditRequest, CaptureRequest, Request, WeaveRequest};
use serde_json::{Map, Value, json};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use super::settings::{guard, object_in};
use crate::error::Problem;
use crate::extract::InBody;
use crate::state::Server;

/// A request in a JSON body. Reports all problems at once.
#[derive(Debug)]
pub(crate) struct InRequest<R>(pub(crate) R);

impl<R: Request> FromRequest<Server> for InRequest<R> {
    type Rejection = Problem;

    async fn from_request(request: HttpRequest, server: &Server) -> Result<Self, Problem> {
        let InBody(mut body) = InBody::<Map<String, Value>>::from_request(request, server).await?;
        let mut problems = match object_in(&mut body, "settings") {
            Some(settings) => guard(settings, &server.options),
            None => Vec::new(),
        };
        match R::read(body) {
            Ok(request) if problems.is_empty() => return Ok(Self(request)),
            Ok(_) => {}
            Err(more) => problems.extend(more),
        }
        Err(Problem::fields(problems))
    }
}

macro_rules! bodies {
    ($( $name:ident: $request:ident, $example:tt; )*) => { $(
        /// The request, for the description of the API.
        #[derive(Debug)]
        pub(crate) struct $name;

        impl PartialSchema for $name {
            fn schema() -> RefOr<Schema> {
                let mut schema = $request::schema();
                // The settings have a schema of their own at /settings/schema: clients need no class for each group.
                schema["properties"]["settings"] = json!({
                    "type": "object",
                    "description": "Settings in groups, over those saved for the project; see /settings/schema.",
                    "example": $example,
                });
                serde_json::from_value(schema).expect("OpenAPI 3.1 takes JSON Schema")
            }
        }

        impl ToSchema for $name {
            fn name() -> Cow<'static, str> {
                stringify!($request).into()
            }
        }
    )* };
}

bodies! {
    AuditBody: AuditRequest, { "limits": { "session_budget": 500 } };
    CaptureBody: CaptureRequest, { "politeness": { "rate": 5.0 } };
    WeaveBody: WeaveRequest, { "weave": { "max_depth": 2 } };
}
