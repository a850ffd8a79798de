//! Faults in the bytes of a body, whatever they mean: there are too many, or they are not in their coding.

use waf_shared::catalog::Leaf;

use super::{Body, BodyFault};
use crate::coding::CodingFault;
use crate::grpc::MessageFault;

impl Body {
    /// Keeps `max_body_size`: at the limit, not at the end. Of a call of gRPC it bounds each message.
    pub(super) fn measure(&mut self, data: &[u8]) -> Result<(), BodyFault> {
        let bytes_max = self.rules.bytes_max;
        if let Some(messages) = &mut self.messages {
            let Err(fault) = messages.read(data, bytes_max) else { return Ok(()) };
            self.messages = None;
            return match fault {
                MessageFault::TooLong => self.violate(
                    Leaf::RequestValidationMaxBodySize,
                    format!("a message of more than {bytes_max} bytes"),
                ),
                MessageFault::Flag => self
                    .violate(Leaf::HttpComplianceMalformedBody, "the body is not made of messages of gRPC"),
            };
        }
        if self.bytes <= bytes_max {
            return Ok(());
        }
        let reason = || format!("a body of more than {bytes_max} bytes");
        // Both are reported, whichever of them is in force.
        let files = if self.rules.is_multipart {
            self.violate(Leaf::FileUploadLimitsMaxTotalSize, reason())
        } else {
            Ok(())
        };
        self.violate(Leaf::RequestValidationMaxBodySize, reason()).and(files)
    }

    /// Notes a fault of the body's coding; what cannot be decoded is not inspected any further.
    pub(super) fn coding_fault(&mut self, fault: CodingFault) -> Result<(), BodyFault> {
        match fault {
            CodingFault::Ratio => self.violate(
                Leaf::ResourceLimitsDecompressionRatio,
                "the body inflates to more than decompression_ratio_limit allows",
            )?,
            CodingFault::Malformed => self.violate(
                Leaf::HttpComplianceMalformedBody,
                "the body is not in the content coding that it declares, or carries something beside it",
            )?,
        }
        self.reading.stop_inflating(&mut self.inspection);
        Ok(())
    }
}
